"""Common column names for fields in English, German, French, Spanish and Italian.

The names are in lower case, without spaces or diacritics, and unique within each table.
"""

from __future__ import annotations

_WORDS = {
    "work_order.customer": """
        client company companyname account tenant agency agencyname
        kunde auftraggeber firma mieter societe entreprise locataire
        cliente empresa compania inquilino azienda ditta societa""",
    "work_order.contact_name": """
        requester requestor caller reporter reportedby requestedby
        melder anrufer gemeldetvon ansprechpartner demandeur appelant
        solicitante reportadopor richiedente segnalatoda""",
    "work_order.priority": """
        prio urgency severity prioritat dringlichkeit priorite urgence prioridad urgencia priorita urgenza""",
    "work_order.dt_due": """
        due duedate duedatetime deadline dueby fallig falligam faelligam frist
        echeance datelimite fechalimite vencimiento plazo scadenza datascadenza""",
    "work_order.dt_scheduled_start": """
        start startdate scheduled scheduleddate plannedstart appointment beginn startdatum termin
        debut datedebut dateprevue inicio fechainicio inizio datainizio""",
    "work_order.po_number": """
        po pono purchaseorder orderno ordernumber reference ref referenceno ticket ticketno ticketnumber
        ticketid caseid caseno casenumber externalid auftragsnummer auftragsnr bestellnummer referenz
        vorgangsnummer ticketnummer numerocommande nocommande
        dossier numeropedido pedido referencia numeroordine ordine
        riferimento""",
    "work_order.employee": """
        technician assignee assignedto engineer techniker mitarbeiter zugewiesenan monteur
        technicien affectea tecnico asignadoa empleado assegnatoa dipendente""",
    "work_order.work_zone": "zone region area gebiet bereich secteur zona",
    "work_order.specialty": "trade craft discipline gewerk metier specialite oficio especialidad mestiere",
    "work_order.duration": "minutes dauer duree duracion durata",
    "work_order.vendor_nte.value": "nte nottoexceed budget maxcost kostenrahmen plafond presupuesto",
    "items.asset": """
        site location place building room store branch facility property premises equipment
        ort standort objekt gebaude raum filiale anlage lieu emplacement batiment magasin equipement
        sitio lugar ubicacion edificio tienda equipo sede luogo ubicazione negozio impianto""",
    "items.task": """
        problem issue fault defect category complaint complainttype worktype jobtype problemtype service
        storung stoerung mangel fehler kategorie leistung probleme panne defaut categorie prestation
        problema averia fallo categoria servicio guasto intervento""",
    "items.comment": """
        description summary details text note notes remark remarks message reason
        beschreibung bemerkung anmerkung notiz meldung hinweis remarque commentaire resume
        descripcion resumen comentario observaciones nota descrizione riepilogo commento""",
    "items.asset_location": """
        address street adresse anschrift strasse rue direccion calle indirizzo""",
    "entity.name": """
        company companyname designation title bezeichnung firma nom societe nombre empresa
        denominacion nome azienda ditta""",
    "entity.first_name": "givenname forename vorname prenom nombredepila",
    "entity.last_name": "surname familyname nachname familienname apellido apellidos cognome",
}

SYNONYMS = {field: frozenset(words.split()) for field, words in _WORDS.items()}
"""Synonyms by field, which is named by the last part of its table and its own name: ``items.task``."""
